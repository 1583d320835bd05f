import { formatCompact } from '../../lib/format.ts'
import { Panel } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/states.tsx'
import { allTokens } from './figures.tsx'
import type { Overview } from './queries.ts'

const buckets = [
	['input', 'Input', 'bg-accent'],
	['cache_read', 'Cache read', 'bg-ok'],
	['cache_write', 'Cache write', 'bg-warn'],
	['output', 'Output', 'bg-model'],
	['reasoning', 'Reasoning', 'bg-other'],
] as const

/** Tokens by kind; every token is in exactly one. */
export function TokenPanel({ overview }: { overview: Overview | undefined }) {
	if (!overview) {
		return (
			<Panel title="Tokens">
				<SkeletonRows />
			</Panel>
		)
	}
	const all = allTokens(overview)
	return (
		<Panel
			title="Tokens"
			actions={<span className="text-ink-3 tabular-nums">{formatCompact(all)} total</span>}
		>
			<ul className="grid gap-3">
				{buckets.map(([key, name, colour]) => (
					<li key={key} className="grid grid-cols-[6rem_1fr_auto] items-center gap-3">
						<span className="text-ink-2">{name}</span>
						<Bar share={all === 0 ? 0 : overview.tokens[key] / all} colour={colour} />
						<span className="min-w-12 text-right tabular-nums">{formatCompact(overview.tokens[key])}</span>
					</li>
				))}
			</ul>
		</Panel>
	)
}

function Bar({ share, colour }: { share: number; colour: string }) {
	return (
		<span aria-hidden="true" className="h-1.5 overflow-hidden rounded-full bg-sunken">
			<span
				className={`block h-full rounded-full forced-color-adjust-none ${colour}`}
				style={{ width: `${share * 100}%` }}
			/>
		</span>
	)
}
