import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../ui/button.tsx'
import { Badge } from '../../ui/status.tsx'
import { Until } from '../../ui/time.tsx'
import { toast, toastFailure } from '../../ui/toast.tsx'
import { type Credential, type CredentialKind, credentialApi } from './credential-api.ts'

interface RotationStateProps {
	credential: Credential
	what: CredentialKind
	refreshKey: QueryKey
	disabled: boolean
}

/** The other secret of a credential that is being rotated: the new one before its first use, then the old one. */
export function RotationState({ credential, what, refreshKey, disabled }: RotationStateProps) {
	const queries = useQueryClient()
	const cancel = useMutation({
		mutationFn: () => credentialApi[what].cancelRotation(credential.id),
		onSuccess: () => toast('Rotation cancelled'),
		onError: () => toastFailure('The new secret has already been used'),
		onSettled: () => queries.invalidateQueries({ queryKey: refreshKey }),
	})
	const { rotation } = credential
	if (rotation === null) return null
	if (rotation.state === 'grace') {
		return (
			<span className="mt-0.5 block text-xs text-ink-3">
				old …{rotation.last4} ends {rotation.old_expires_at && <Until at={rotation.old_expires_at} />}
			</span>
		)
	}
	return (
		<span className="mt-0.5 flex items-center gap-2">
			<Badge tone="accent" icon="refresh">
				new …{rotation.last4} unused
			</Badge>
			<Button
				small
				variant="ghost"
				className="h-6! px-1.5!"
				busy={cancel.isPending}
				disabled={disabled}
				aria-label={`Cancel rotation of ${credential.name}`}
				onClick={() => cancel.mutate()}
			>
				Cancel rotation
			</Button>
		</span>
	)
}
