import { formatCount } from '../../lib/format.ts'
import { OutcomeBadge } from './outcome-badge.tsx'
import { outcomesOf } from './outcomes.ts'

/** What hooks did to a call; nothing if none had an effect. */
export function HooksPart({ attributes }: { attributes: Record<string, unknown> }) {
	const outcomes = outcomesOf(attributes)
	if (outcomes.length === 0) return null
	return (
		<section>
			<h3 className="mb-2 text-xs font-medium text-ink-3">Hooks</h3>
			<ul className="grid gap-1.5">
				{outcomes.map((outcome) => (
					<li
						key={`${outcome.hook} ${outcome.stage} ${outcome.result}`}
						className="flex flex-wrap items-center gap-x-2"
					>
						<span className="font-medium">{outcome.hook}</span>
						<OutcomeBadge outcome={outcome} />
						<span className="text-xs text-ink-3">
							{outcome.stage}
							{outcome.matches !== undefined && ` · found ${formatCount(outcome.matches)}`}
							{outcome.error && ` · ${outcome.error}`}
						</span>
					</li>
				))}
			</ul>
		</section>
	)
}
