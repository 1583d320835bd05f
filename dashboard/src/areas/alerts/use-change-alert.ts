import { useMutation, useQueryClient } from '@tanstack/react-query'
import { changeShown } from '../../api.ts'
import { toast } from '../../ui/toast.tsx'
import { type Alert, type AlertChange, refreshAlerts } from './queries.ts'

export function useChangeAlert(alert: Alert) {
	const queries = useQueryClient()
	return useMutation({
		mutationFn: (body: AlertChange) => changeShown('/v1/alerts/{id}', { id: alert.id }, alert, body),
		onSuccess: () => {
			toast('Saved')
			return refreshAlerts(queries)
		},
	})
}
