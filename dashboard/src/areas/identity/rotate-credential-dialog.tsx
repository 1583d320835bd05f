import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { InlineError } from '../../ui/states.tsx'
import { type Credential, type CredentialKind, credentialApi } from './credential-api.ts'
import { SecretOnce } from './secret-once.tsx'

const graces = [
	{ seconds: 86_400, label: 'a day after the first use of the new one' },
	{ seconds: 3600, label: 'an hour after the first use of the new one' },
	{ seconds: 604_800, label: '7 days after the first use of the new one' },
	{ seconds: 2_592_000, label: '30 days after the first use of the new one' },
	{ seconds: 0, label: 'at the first use of the new one' },
] as const

interface RotateCredentialDialogProps {
	credential: Credential
	what: CredentialKind
	refreshKey: QueryKey
	onClose(): void
}

/** Creates a second secret, which is shown once. The current one works until the new one has been used for a while. */
export function RotateCredentialDialog({
	credential,
	what,
	refreshKey,
	onClose,
}: RotateCredentialDialogProps) {
	const queries = useQueryClient()
	const rotate = useMutation({
		mutationFn: (graceS: number) => credentialApi[what].rotate(credential.id, graceS),
		onSuccess: () => queries.invalidateQueries({ queryKey: refreshKey }),
		gcTime: 0,
	})
	const secret = rotate.data
	return (
		<Dialog
			open
			onClose={onClose}
			sticky={secret !== undefined}
			wide={secret !== undefined}
			title={secret ? `New secret of ${credential.name}` : `Rotate ${credential.name}`}
		>
			{secret ? (
				<SecretOnce what={what} secret={secret} onDone={onClose}>
					<p className="text-ink-2">
						It works now. The present secret goes on working; its end is counted from the first use of this
						one.
					</p>
				</SecretOnce>
			) : (
				<RotateForm
					isPending={credential.rotation?.state === 'pending'}
					busy={rotate.isPending}
					error={rotate.error}
					onSubmit={rotate.mutate}
					onCancel={onClose}
				/>
			)}
		</Dialog>
	)
}

interface RotateFormProps {
	/** A new secret already waits for its first use. */
	isPending: boolean
	busy: boolean
	error: unknown
	onSubmit(graceS: number): void
	onCancel(): void
}

function RotateForm({ isPending, busy, error, onSubmit, onCancel }: RotateFormProps) {
	const [seconds, setSeconds] = useState<number>(graces[0].seconds)
	const submit = (event: FormEvent) => {
		event.preventDefault()
		onSubmit(seconds)
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<p className="text-ink-2">
				You get a new secret beside the present one. Nobody is cut off: put the new one where the old one is,
				and the old one ends automatically. Name, id and scopes stay.
			</p>
			{isPending && (
				<Notice tone="warn">
					A new secret waits for its first use. It ends when you create another one.
				</Notice>
			)}
			<Field label="The current secret expires">
				{(field) => (
					<Select {...field} value={seconds} onChange={(event) => setSeconds(Number(event.target.value))}>
						{graces.map((grace) => (
							<option key={grace.seconds} value={grace.seconds}>
								{grace.label}
							</option>
						))}
					</Select>
				)}
			</Field>
			{error !== null && <InlineError error={error} />}
			<DialogActions>
				<Button onClick={onCancel}>Cancel</Button>
				<Button type="submit" variant="primary" icon="refresh" busy={busy}>
					Create new secret
				</Button>
			</DialogActions>
		</form>
	)
}
