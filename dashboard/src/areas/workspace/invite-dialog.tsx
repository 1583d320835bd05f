import { rolesGivenBy } from '@signalbox/contract/access'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { EmailField } from '../identity/entry-fields.tsx'
import { SecretOnce } from '../identity/secret-once.tsx'
import { type Role, useMe } from '../identity/session.ts'
import { invitationsKey } from './queries.ts'

interface Wanted {
	email: string
	role: Role
	expires_in_days: number
}

export function InviteDialog({ open, onClose }: { open: boolean; onClose(): void }) {
	const { workspace } = useMe()
	const queries = useQueryClient()
	const invite = useMutation({
		mutationFn: (body: Wanted) => {
			const params = { path: { id: workspace.id } }
			return unwrap(api.POST('/v1/workspaces/{id}/invitations', { params, body }))
		},
		onSuccess: ({ email, mailed }) => {
			if (mailed) {
				toast(`The invitation is on its way to ${email}`)
				close()
			}
			return queries.invalidateQueries({ queryKey: invitationsKey })
		},
		gcTime: 0,
	})
	const close = () => {
		onClose()
		invite.reset()
	}
	const link = invite.data?.link
	return (
		<Dialog
			open={open}
			onClose={close}
			sticky={link !== undefined}
			wide={link !== undefined}
			title={link ? `Invitation for ${invite.data?.email ?? ''}` : `Invite a person to ${workspace.name}`}
		>
			{link ? (
				<SecretOnce what="link" secret={link} onDone={close}>
					<p className="text-ink-2">
						No mail server is set up: pass the link on yourself. It works once, for whoever has it.
					</p>
				</SecretOnce>
			) : (
				<InviteForm
					given={rolesGivenBy(workspace.role)}
					busy={invite.isPending}
					error={invite.error}
					onSubmit={invite.mutate}
					onCancel={close}
				/>
			)}
		</Dialog>
	)
}

interface InviteFormProps {
	given: readonly Role[]
	busy: boolean
	error: unknown
	onSubmit(wanted: Wanted): void
	onCancel(): void
}

const powers: Record<Role, string> = {
	viewer: 'Reads everything but the audit log and secrets.',
	auditor: 'Reads everything, the audit log included, and changes nothing.',
	member: 'Reads, and works with agents and tools.',
	admin: 'Manages servers, grants, keys and people.',
	owner: 'Can do everything, including deleting the workspace.',
}

function InviteForm({ given, busy, error, onSubmit, onCancel }: InviteFormProps) {
	const [email, setEmail] = useState('')
	const [role, setRole] = useState<Role>('member')
	const [days, setDays] = useState(7)
	const submit = (event: FormEvent) => {
		event.preventDefault()
		onSubmit({ email, role, expires_in_days: days })
	}
	return (
		<form onSubmit={submit} className="grid gap-4">
			<EmailField value={email} onChange={setEmail} error={error} of="somebody" />
			<Field label="Role" hint={powers[role]}>
				{(field) => (
					<Select {...field} value={role} onChange={(event) => setRole(event.target.value as Role)}>
						{given.map((known) => (
							<option key={known}>{known}</option>
						))}
					</Select>
				)}
			</Field>
			<Field label="The link works for">
				{(field) => (
					<Select {...field} value={days} onChange={(event) => setDays(Number(event.target.value))}>
						<option value={1}>a day</option>
						<option value={7}>7 days</option>
						<option value={30}>30 days</option>
					</Select>
				)}
			</Field>
			{error !== null && <InlineError error={error} />}
			<DialogActions>
				<Button onClick={onCancel}>Cancel</Button>
				<Button type="submit" variant="primary" busy={busy}>
					Invite
				</Button>
			</DialogActions>
		</form>
	)
}
