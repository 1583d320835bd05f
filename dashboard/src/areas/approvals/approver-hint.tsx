import { useQuery } from '@tanstack/react-query'
import { uiPath } from '../../lib/base-url.ts'
import { CopyText } from '../../ui/copy.tsx'
import { Notice } from '../../ui/notice.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useMe } from '../identity/session.ts'
import { membersQuery } from '../workspace/queries.ts'

/** For those who may not do `what`: who can, and the address to send to them. */
export function ApproverHint({ what, path }: { what: string; path: string }) {
	const { workspace } = useMe()
	const { data: owners } = useQuery(membersQuery(workspace.id, { role: 'owner', page: 1 }))
	const { data: admins } = useQuery(membersQuery(workspace.id, { role: 'admin', page: 1 }))
	const names = [...(owners?.members ?? []), ...(admins?.members ?? [])].map(
		({ name, email }) => name || email,
	)
	return (
		<>
			<RoleHint needs="admin" what={what} />
			<Notice tone="idle" title="Contact">
				{names.length > 0 && (
					<p>
						{listNames(names)} can {what}.
					</p>
				)}
				<p className="flex flex-wrap items-center gap-x-2">
					Send this address: <CopyText text={`${location.origin}${uiPath()}${path}`} />
				</p>
			</Notice>
		</>
	)
}

function listNames(names: readonly string[]): string {
	const shown = names.slice(0, 4).join(', ')
	return names.length > 4 ? `${shown} and ${names.length - 4} more` : shown
}
