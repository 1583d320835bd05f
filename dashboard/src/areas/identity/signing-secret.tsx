import { useMutation } from '@tanstack/react-query'
import { formatDateTime } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { InlineError } from '../../ui/states.tsx'

interface SigningSecretProps {
	/** Until when the previous secret is also valid; null if there is none. */
	oldExpiresAt: string | null
	disabled: boolean
	/** Creates the new secret and passes it to the component that shows it once. */
	rotate(): Promise<unknown>
}

/** Replaces the secret with which a receiver checks signatures. */
export function SigningSecret({ oldExpiresAt, disabled, rotate }: SigningSecretProps) {
	const rotation = useMutation({ mutationFn: rotate })
	return (
		<>
			<div className="flex flex-wrap items-center justify-between gap-4">
				<p className="text-ink-2">
					{oldExpiresAt
						? `The secret before signs too until ${formatDateTime(oldExpiresAt)}.`
						: 'A new secret is shown once; the present one signs too for 24 hours.'}
				</p>
				<Button
					icon="refresh"
					busy={rotation.isPending}
					disabled={disabled}
					onClick={() => rotation.mutate()}
				>
					Create a new secret
				</Button>
			</div>
			{rotation.error && <InlineError error={rotation.error} />}
		</>
	)
}
