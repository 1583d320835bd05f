import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { InlineError } from '../../ui/states.tsx'
import { Row, Table, Td, Th, ThActions } from '../../ui/table.tsx'
import { Ago, Until } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { SecretOnce } from '../identity/secret-once.tsx'
import { useCan, useMe } from '../identity/session.ts'
import { type Invitation, invitationsKey } from './queries.ts'

export function InvitationTable({ invitations }: { invitations: readonly Invitation[] }) {
	const [revoking, setRevoking] = useState<Invitation | null>(null)
	const { workspace } = useMe()
	const canChange = useCan('members:write')
	const queries = useQueryClient()
	const refresh = () => queries.invalidateQueries({ queryKey: invitationsKey })
	const pathOf = ({ id }: Invitation) => ({ params: { path: { id: workspace.id, invitationId: id } } })
	const resend = useMutation({
		mutationFn: (invitation: Invitation) =>
			unwrap(api.POST('/v1/workspaces/{id}/invitations/{invitationId}/resend', pathOf(invitation))),
		onSuccess: ({ email, mailed }) => {
			if (mailed) toast(`A new link is on its way to ${email}`)
			return refresh()
		},
		gcTime: 0,
	})
	const revoke = async (invitation: Invitation) => {
		await unwrap(api.DELETE('/v1/workspaces/{id}/invitations/{invitationId}', pathOf(invitation)))
		toast(`The invitation of ${invitation.email} is revoked`)
		await refresh()
	}
	const link = resend.data?.link
	return (
		<>
			<Table label="Open invitations">
				<thead>
					<tr>
						<Th>E-mail</Th>
						<Th>Role</Th>
						<Th>Invited by</Th>
						<Th right>Sent</Th>
						<Th right>Ends</Th>
						<ThActions />
					</tr>
				</thead>
				<tbody>
					{invitations.map((invitation) => (
						<Row key={invitation.id}>
							<Td className="max-w-72 truncate font-medium">{invitation.email}</Td>
							<Td>{invitation.role}</Td>
							<Td className="max-w-56 truncate text-ink-2">{invitation.invited_by ?? 'somebody who left'}</Td>
							<Td right className="text-ink-2">
								<Ago at={invitation.created_at} />
							</Td>
							<Td right className="text-ink-2">
								<Until at={invitation.expires_at} />
							</Td>
							<Td right>
								<span className="inline-flex gap-2">
									<Button
										small
										disabled={!canChange}
										busy={resend.isPending && resend.variables.id === invitation.id}
										aria-label={`New link for ${invitation.email}`}
										onClick={() => resend.mutate(invitation)}
									>
										New link
									</Button>
									<Button
										small
										disabled={!canChange}
										variant="danger"
										aria-label={`Revoke the invitation of ${invitation.email}`}
										onClick={() => setRevoking(invitation)}
									>
										Revoke
									</Button>
								</span>
							</Td>
						</Row>
					))}
				</tbody>
			</Table>
			{resend.error && <InlineError error={resend.error} />}
			<Dialog
				open={link !== undefined}
				onClose={resend.reset}
				sticky
				wide
				title={`New link for ${resend.data?.email ?? ''}`}
			>
				<SecretOnce what="link" secret={link ?? ''} onDone={resend.reset}>
					<p className="text-ink-2">
						No mail server is set up: pass it on yourself. The link before it has ended.
					</p>
				</SecretOnce>
			</Dialog>
			<Confirm
				open={revoking !== null}
				onClose={() => setRevoking(null)}
				title={`Revoke the invitation of ${revoking?.email ?? ''}?`}
				text="The link stops working."
				action="Revoke invitation"
				run={() => (revoking ? revoke(revoking) : Promise.resolve())}
			/>
		</>
	)
}
