import { describeDimension } from '../../lib/dimension-words.ts'
import { formatCount, formatNanoUsd, formatRate } from '../../lib/format.ts'
import type { Span } from './queries.ts'

/** What was billed for one call, quantity by quantity. */
export function BilledPart({ ledger }: Pick<Span, 'ledger'>) {
	return (
		<dl className="divide-y divide-line rounded-lg border border-line">
			{ledger.map((entry) => (
				<div
					key={`${entry.iteration} ${entry.model} ${entry.dimension}`}
					className="flex justify-between gap-3 px-3 py-1.5"
				>
					<dt className="min-w-0">
						<span className="block text-xs">{describeDimension(entry.dimension)}</span>
						<span className="block truncate text-xs text-ink-3" title={entry.price ?? undefined}>
							{entry.price ?? 'no price'}
						</span>
					</dt>
					<dd className="text-right tabular-nums">
						<span className={entry.cost_nano_usd === null ? 'block text-warn' : 'block'}>
							{entry.cost_nano_usd === null ? 'unpriced' : formatNanoUsd(entry.cost_nano_usd)}
						</span>
						<span className="block text-xs text-ink-3">
							{formatCount(entry.quantity)} × {formatRate(entry.nano_usd_per_million)} / 1M
							{entry.factor !== '1/1' && ` × ${entry.factor}`}
						</span>
					</dd>
				</div>
			))}
		</dl>
	)
}
