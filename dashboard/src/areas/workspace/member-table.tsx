import { rolesGivenBy } from '@signalbox/contract/access'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Badge } from '../../ui/status.tsx'
import { Row, Table, Td, Th, ThActions } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { useMe } from '../identity/session.ts'
import { type Member, membersKey } from './queries.ts'
import { RoleSelect } from './role-select.tsx'

export function MemberTable({ members }: { members: readonly Member[] }) {
	const [removing, setRemoving] = useState<Member | null>(null)
	const { workspace, user } = useMe()
	const queries = useQueryClient()
	const given = rolesGivenBy(workspace.role)
	const remove = async (member: Member) => {
		const path = { id: workspace.id, userId: member.user_id }
		await unwrap(api.DELETE('/v1/workspaces/{id}/members/{userId}', { params: { path } }))
		toast(`${member.email} is no longer a member`)
		await queries.invalidateQueries({ queryKey: membersKey })
	}
	return (
		<>
			<Table label="Members">
				<thead>
					<tr>
						<Th>Person</Th>
						<Th>Role</Th>
						<Th right>Joined</Th>
						<ThActions />
					</tr>
				</thead>
				<tbody>
					{members.map((member) => (
						<Row key={member.user_id}>
							<Td className="max-w-96">
								<PersonCell member={member} isSelf={member.user_id === user.id} />
							</Td>
							<Td>
								<RoleSelect member={member} />
							</Td>
							<Td right className="text-ink-2">
								<Ago at={member.joined_at} />
							</Td>
							<Td right>
								{member.user_id !== user.id && (
									<Button
										small
										variant="danger"
										disabled={!given.includes(member.role)}
										aria-label={`Remove ${member.email}`}
										onClick={() => setRemoving(member)}
									>
										Remove
									</Button>
								)}
							</Td>
						</Row>
					))}
				</tbody>
			</Table>
			<Confirm
				open={removing !== null}
				onClose={() => setRemoving(null)}
				title={`Remove ${removing?.email ?? ''}?`}
				text="They lose access to this workspace immediately, including running streams. Keys they created belong to the workspace and are kept: rotate those whose secret they know."
				action="Remove member"
				run={() => (removing ? remove(removing) : Promise.resolve())}
			/>
		</>
	)
}

function PersonCell({ member, isSelf }: { member: Member; isSelf: boolean }) {
	return (
		<>
			<span className="flex flex-wrap items-center gap-x-2 gap-y-1">
				<span className="truncate font-medium">{member.name || member.email}</span>
				{isSelf && <Badge tone="accent">you</Badge>}
				{!member.verified && <Badge tone="warn">not confirmed</Badge>}
			</span>
			{member.name && <span className="block truncate text-xs text-ink-3">{member.email}</span>}
		</>
	)
}
