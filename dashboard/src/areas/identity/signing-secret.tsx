import { useMutation } from '@tanstack/react-query'
import { formatDateTime } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { InlineError } from '../../ui/states.tsx'

interface SigningSecretProps {
	/** Until when the secret before signs too; null when there is none. */
	oldExpiresAt: string | null
	disabled: boolean
	/** Makes the new secret, and gives it to whoever shows it once. */
	rotate(): Promise<unknown>
}

/** Replaces the secret that a receiver checks signatures with. */
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
