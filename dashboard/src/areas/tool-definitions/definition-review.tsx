import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { showHidden } from '../../lib/show-hidden.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { DefinitionDecision } from './definition-decision.tsx'
import { DifferenceList } from './difference-list.tsx'
import { FlagList } from './flag-list.tsx'
import { describePin, PinBadge } from './pin-state.tsx'
import { type DefinitionDiff, diffQuery, type PinnedTool, versionsQuery } from './queries.ts'
import { VersionList } from './version-list.tsx'
import { VersionSelects } from './version-selects.tsx'

interface DefinitionReviewProps {
	serverId: string
	tool: PinnedTool
	/** Hashes of the compared definitions; absent: the approved one, and the current one. */
	compared: { from: string | undefined; to: string | undefined }
	onCompare(compared: { from?: string; to?: string }): void
}

/**
 * One tool: what changed, and the decision. The content does not change while somebody reads it: a definition that the server sends
 * meanwhile is announced, and shown on request.
 */
export function DefinitionReview({ serverId, tool, compared, onCompare }: DefinitionReviewProps) {
	const [seenHash, setSeenHash] = useState(tool.current_hash)
	const versions = useQuery(versionsQuery(serverId, tool.name)).data?.versions ?? []
	const to = compared.to ?? seenHash
	const isOutdated = tool.current_hash !== null && tool.current_hash !== seenHash
	const shown = versions.find(({ hash }) => hash === to)
	return (
		<div className="grid grid-cols-[minmax(0,1fr)] gap-4">
			<Panel
				title={
					<span className="flex flex-wrap items-center gap-x-2 gap-y-1">
						<span className="font-mono break-all">{showHidden(tool.name)}</span>
						<PinBadge state={tool.state} />
					</span>
				}
			>
				<div className="grid grid-cols-[minmax(0,1fr)] gap-4">
					<State tool={tool} />
					<FlagList flags={shown?.flags ?? (compared.to ? [] : tool.flags)} />
					{versions.length > 1 && (
						<VersionSelects versions={versions} compared={compared} onCompare={onCompare} />
					)}
					{isOutdated && (
						<Notice tone="warn" title="The server changed this tool while you were viewing it">
							<p>This is no longer the current definition, so you cannot decide on it.</p>
							<Button
								small
								className="mt-2"
								icon="refresh"
								onClick={() => {
									setSeenHash(tool.current_hash)
									onCompare({})
								}}
							>
								Show the present definition
							</Button>
						</Notice>
					)}
					{to === null ? (
						<Notice tone="idle">The server no longer offers this tool.</Notice>
					) : (
						<Comparison serverId={serverId} tool={tool} from={compared.from} to={to} />
					)}
				</div>
			</Panel>
			<VersionList versions={versions} />
		</div>
	)
}

/** What agents are currently shown, and why. */
function State({ tool }: { tool: PinnedTool }) {
	const { detail, renamed_from, since, decided_by, decided_at } = tool
	return (
		<div className="grid gap-1">
			<p>{describePin(tool)}</p>
			{detail && <p className="break-words text-ink-2">Not compatible: {showHidden(detail)}</p>}
			{renamed_from && (
				<p className="text-ink-2">
					It seems to be <span className="font-mono text-[12.5px]">{showHidden(renamed_from)}</span> under
					another name. Grants do not follow: approve it, and grant it by its new name.
				</p>
			)}
			<p className="text-xs text-ink-3">
				<Ago at={since} />
				{decided_by && (
					<>
						, last decided by {decided_by} <Ago at={decided_at} />
					</>
				)}
				.
			</p>
		</div>
	)
}

interface ComparisonProps {
	serverId: string
	tool: PinnedTool
	from: string | undefined
	to: string
}

function Comparison({ serverId, tool, from, to }: ComparisonProps) {
	const { data: diff, error, refetch } = useQuery(diffQuery(serverId, { name: tool.name, from, to }))
	if (error && !diff) return <ErrorState error={error} retry={() => void refetch()} />
	if (!diff) return <SkeletonRows />
	// A decision is possible only on the complete difference from the approved definition.
	const canDecide = tool.state !== 'open' && from === undefined && to === tool.current_hash
	return (
		<>
			<Compatibility diff={diff} isFromApproved={from === undefined} />
			<DifferenceList differences={diff.differences} />
			{canDecide && <DefinitionDecision serverId={serverId} tool={tool} hash={diff.to_hash} />}
		</>
	)
}

/** What the difference means for calls. */
function Compatibility({
	diff: { from_hash, compatible, incompatibility, differences },
	isFromApproved,
}: {
	diff: DefinitionDiff
	isFromApproved: boolean
}) {
	if (from_hash === null) return <p className="text-ink-2">This tool has no approved version yet.</p>
	if (differences.length === 0)
		return (
			<p className="text-ink-2">
				{isFromApproved ? 'This is the approved version.' : 'The two definitions are the same.'}
			</p>
		)
	return compatible ? (
		<Notice tone="idle">Backward compatible</Notice>
	) : (
		<Notice tone="warn">
			Calls by the first definition may be refused under the second
			{incompatibility && `: ${showHidden(incompatibility)}`}
		</Notice>
	)
}
