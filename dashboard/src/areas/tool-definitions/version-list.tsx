import { formatCounted, formatDateTime } from '../../lib/format.ts'
import { CopyText } from '../../ui/copy.tsx'
import { DisclosureEntry } from '../../ui/disclosure.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Panel } from '../../ui/page.tsx'
import { Badge } from '../../ui/status.tsx'
import type { DefinitionVersion } from './queries.ts'

/** Every known definition of a tool, newest first; each can be read in full. */
export function VersionList({ versions }: { versions: readonly DefinitionVersion[] }) {
	if (versions.length === 0) return null
	return (
		<Panel title="Version history" flush>
			<ul>
				{versions.map((version) => (
					<VersionRow key={version.hash} version={version} />
				))}
			</ul>
		</Panel>
	)
}

function VersionRow({ version }: { version: DefinitionVersion }) {
	const { hash, first_seen, last_seen, current, approved, definition_tokens: tokens, flags } = version
	return (
		<DisclosureEntry
			line={
				<span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1">
					<span className="tabular-nums">
						{formatDateTime(first_seen)} to {current ? 'now' : formatDateTime(last_seen)}
					</span>
					{approved && <Badge tone="ok">approved</Badge>}
					{current && <Badge tone="accent">current</Badge>}
					{flags.length > 0 && (
						<span className="text-xs text-warn">{formatCounted(flags.length, 'flag')}</span>
					)}
					<span className="ml-auto text-xs text-ink-3 tabular-nums">
						{tokens === null ? 'tokens not counted yet' : formatCounted(tokens, 'token')}
					</span>
				</span>
			}
		>
			<p className="text-xs text-ink-3">
				Hash <CopyText text={hash} short={hash.slice(0, 12)} />
			</p>
			<JsonView value={version.definition} label={`Definition ${hash.slice(0, 12)}`} />
		</DisclosureEntry>
	)
}
