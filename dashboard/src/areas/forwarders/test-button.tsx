import { useMutation } from '@tanstack/react-query'
import { api, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { useCan } from '../identity/session.ts'
import type { Forwarder } from './queries.ts'

/** Sends an empty request to the receiver, and shows its answer. */
export function TestButton({ forwarder }: { forwarder: Forwarder }) {
	const test = useMutation({
		mutationFn: () =>
			unwrap(api.POST('/v1/forwarders/{id}/test', { params: { path: { id: forwarder.id } } })),
		onSuccess: ({ results }) => {
			if (results.every(({ taken }) => taken)) toast('The receiver takes it')
		},
	})
	const failed = test.data?.results.filter(({ taken }) => !taken) ?? []
	return (
		<>
			<Button
				icon="send"
				busy={test.isPending}
				disabled={!useCan('forwarders:write')}
				onClick={() => test.mutate()}
			>
				Try the receiver
			</Button>
			{failed.map(({ signal, error }) => (
				<p key={signal} role="alert" className="text-bad">
					{signal}: {error}
				</p>
			))}
			{test.error && <InlineError error={test.error} />}
		</>
	)
}
