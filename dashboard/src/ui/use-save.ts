import { useMutation } from '@tanstack/react-query'
import { toast } from './toast.tsx'

interface SaveOptions<Body, Answer> {
	isNew: boolean
	send(body: Body): Promise<Answer>
	/** Reads again what lists show. */
	refresh(): Promise<unknown>
	onSaved(answer: Answer): void
}

/** Sends what a form holds; the lists show it before the form closes. */
export function useSave<Body, Answer>({ isNew, send, refresh, onSaved }: SaveOptions<Body, Answer>) {
	return useMutation({
		mutationFn: send,
		onSuccess: async (answer) => {
			await refresh()
			toast(isNew ? 'Created' : 'Saved')
			onSaved(answer)
		},
	})
}
