import { Icon } from '../../ui/icons.tsx'
import { type Needed, rolesFor, useCan, useMe } from './session.ts'

/** Why buttons are disabled: the roles that suffice, and who can assign them. Nothing for those who have one. */
export function RoleHint({ needs, what }: { needs: Needed; what: string }) {
	const { workspace } = useMe()
	if (useCan(needs)) return null
	return (
		<p className="mb-3 flex items-center gap-2 rounded-md bg-sunken px-3 py-2 text-ink-2">
			<Icon name="info" className="text-ink-3" />
			You are {workspace.role} here. To {what} you need the role {rolesFor(needs)}; an owner of{' '}
			{workspace.name} can give it.
		</p>
	)
}
