import { useMutation } from '@tanstack/react-query'
import { toast } from './toast.tsx'

interface SaveOptions<Body, Answer> {
	isNew: boolean
	send(body: Body): Promise<Answer>
	/** Refreshes the lists that show it. */
	refresh(): Promise<unknown>
	onSaved(answer: Answer): void
}

/** Sends the content of a form; the lists are refreshed before the form closes. */
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
