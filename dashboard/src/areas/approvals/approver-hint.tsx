import { rolesWith } from '@signalbox/contract/access'
import { useQueries } from '@tanstack/react-query'
import { uiPath } from '../../lib/base-url.ts'
import { CopyText } from '../../ui/copy.tsx'
import { Notice } from '../../ui/notice.tsx'
import { RoleHint } from '../identity/role-hint.tsx'
import { useMe } from '../identity/session.ts'
import { membersQuery } from '../workspace/queries.ts'

/** Those with more rights first. */
const deciders = rolesWith('approvals:decide').toReversed()

/** For those who may not do `what`: who can, and the address to send to them. */
export function ApproverHint({ what, path }: { what: string; path: string }) {
	const { workspace } = useMe()
	const lists = useQueries({ queries: deciders.map((role) => membersQuery(workspace.id, { role, page: 1 })) })
	const names = lists.flatMap(({ data }) => data?.members ?? []).map(({ name, email }) => name || email)
	return (
		<>
			<RoleHint needs="approvals:decide" what={what} />
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
