import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { causeWords, describePart } from '../../lib/cache-miss-words.ts'
import { formatCount, formatNanoUsd } from '../../lib/format.ts'
import { linkClass } from '../../ui/link.ts'
import { cacheMissQuery, type Span } from './queries.ts'

/** Why a model call paid again for what was in the cache, and the cost; nothing if it did not. */
export function CacheMissPart({ span }: { span: Span }) {
	const { data } = useQuery(cacheMissQuery(span))
	if (!data?.miss) return null
	const { miss, difference } = data
	return (
		<section>
			<h3 className="mb-2 text-xs font-medium text-ink-3">Missed the cache</h3>
			<div className="grid grid-cols-[minmax(0,1fr)] gap-2 rounded-md bg-warn-soft px-3 py-2">
				<p className="font-medium text-warn">
					{causeWords[miss.cause]}
					{miss.part && `: ${describePart(miss)}`}
				</p>
				<p className="text-ink-2">
					{formatCount(miss.missed_tokens)} tokens were paid for again
					{miss.extra_cost_nano_usd !== null &&
						`: ${formatNanoUsd(miss.extra_cost_nano_usd)} more than from the cache`}
					. They were there since{' '}
					<Link
						to="/traces/$traceId"
						params={{ traceId: miss.before.trace_id }}
						search={{ span: miss.before.span_id }}
						className={linkClass}
					>
						the call before
					</Link>
					.
				</p>
				{difference && (
					<dl className="grid grid-cols-[minmax(0,1fr)] gap-1 font-mono text-xs break-words whitespace-pre-wrap">
						<dt className="text-ink-3">before, around character {formatCount(difference.offset)}</dt>
						<dd>{difference.before}</dd>
						<dt className="text-ink-3">now</dt>
						<dd>{difference.after}</dd>
					</dl>
				)}
			</div>
		</section>
	)
}
