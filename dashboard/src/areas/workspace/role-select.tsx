import { rolesGivenBy } from '@signalbox/contract/access'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Confirm } from '../../ui/confirm.tsx'
import { Select } from '../../ui/field.tsx'
import { InlineError } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { type Role, useMe } from '../identity/session.ts'
import { type Member, membersKey } from './queries.ts'

/**
 * The role of a member, which is changed at once. Changing one's own needs a confirmation, because one may not be able to change it
 * back.
 */
export function RoleSelect({ member }: { member: Member }) {
	const [wanted, setWanted] = useState<Role | null>(null)
	const { workspace, user } = useMe()
	const queries = useQueryClient()
	const change = useMutation({
		mutationFn: (role: Role) => {
			const path = { id: workspace.id, userId: member.user_id }
			return unwrap(api.PATCH('/v1/workspaces/{id}/members/{userId}', { params: { path }, body: { role } }))
		},
		onSuccess: async ({ email, role }) => {
			toast(`${email} is now ${role}`)
			await queries.invalidateQueries({ queryKey: membersKey })
			if (member.user_id === user.id) await queries.invalidateQueries({ queryKey: ['me'] })
		},
	})
	const given = rolesGivenBy(workspace.role)
	const options = given.includes(member.role) ? given : [member.role]
	return (
		<>
			<Select
				aria-label={`Role of ${member.email}`}
				className="w-28! min-w-28"
				disabled={options.length === 1 || change.isPending}
				value={change.isPending ? change.variables : member.role}
				onChange={(event) => {
					const role = event.target.value as Role
					if (member.user_id === user.id) setWanted(role)
					else change.mutate(role)
				}}
			>
				{options.map((role) => (
					<option key={role}>{role}</option>
				))}
			</Select>
			{change.error && wanted === null && <InlineError error={change.error} />}
			<Confirm
				open={wanted !== null}
				onClose={() => setWanted(null)}
				title={`Become ${wanted ?? ''} yourself?`}
				text={`You lose what only ${workspace.role}s may do, and need another one to get it back.`}
				action="Change my role"
				run={() => (wanted ? change.mutateAsync(wanted) : Promise.resolve())}
			/>
		</>
	)
}
