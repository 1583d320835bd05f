import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { toast } from '../../ui/toast.tsx'
import { type AlertChange, refreshAlerts } from './queries.ts'

export function useChangeAlert(id: string) {
	const queries = useQueryClient()
	return useMutation({
		mutationFn: (body: AlertChange) =>
			unwrap(api.PATCH('/v1/alerts/{id}', { params: { path: { id } }, body })),
		onSuccess: () => {
			toast('Saved')
			return refreshAlerts(queries)
		},
	})
}
