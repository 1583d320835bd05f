import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { showHidden } from '../../lib/show-hidden.ts'
import { Panel } from '../../ui/page.tsx'
import { scrollRegion } from '../../ui/scroll-region.ts'
import { Badge } from '../../ui/status.tsx'
import { Ago } from '../../ui/time.tsx'
import { describeReason, PinBadge } from './pin-state.tsx'
import { pendingDefinitionsQuery } from './queries.ts'

/** Changed and new tools of all servers that wait for a decision; nothing if there are none. */
export function PendingDefinitions() {
	const { data } = useQuery(pendingDefinitionsQuery)
	if (!data || data.pending.length === 0) return null
	const { pending } = data
	return (
		<Panel
			className="mb-4"
			title="Tool definitions to review"
			actions={<Badge tone="warn">{pending.length} waiting</Badge>}
			flush
		>
			<div {...scrollRegion('Tool definitions to review')} className="max-h-80 overflow-y-auto">
				<ul>
					{pending.map(({ server, name, state, reason, renamed_from, since }) => (
						<li key={`${server.id} ${name}`} className="border-b border-line last:border-0">
							<Link
								to="/servers/$serverId/definitions"
								params={{ serverId: server.id }}
								search={{ tool: name }}
								className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2.5 -outline-offset-2 hover:bg-hover"
							>
								<span className="font-mono text-[12.5px] font-medium break-all">{showHidden(name)}</span>
								<span className="text-ink-2">{server.name}</span>
								<PinBadge state={state} />
								<span className="min-w-0 flex-1 basis-64 text-ink-2">
									{renamed_from
										? `It seems to be ${showHidden(renamed_from)} under another name.`
										: reason && describeReason(reason)}
								</span>
								<span className="text-xs text-ink-3">
									<Ago at={since} />
								</span>
							</Link>
						</li>
					))}
				</ul>
			</div>
		</Panel>
	)
}
