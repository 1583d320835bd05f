import { formatCompact, formatCount, formatMs, formatNanoUsd } from '../../lib/format.ts'
import { Facts, Panel } from '../../ui/page.tsx'
import { allTokens } from '../spotlight/figures.tsx'
import type { Session } from './queries.ts'

type Figures = Pick<
	Session,
	| 'started_at'
	| 'ended_at'
	| 'model_calls'
	| 'tool_calls'
	| 'errors'
	| 'tokens'
	| 'cost_nano_usd'
	| 'unpriced_calls'
	| 'latency_ms'
>

/** The whole session in figures. */
export function SessionFacts({ session }: { session: Figures }) {
	const lengthMs = Date.parse(session.ended_at) - Date.parse(session.started_at)
	return (
		<Panel title="In all">
			<Facts
				facts={[
					['Length', formatMs(lengthMs)],
					['Model calls', formatCount(session.model_calls)],
					['Tool calls', formatCount(session.tool_calls)],
					['Errors', formatCount(session.errors)],
					['Tokens', formatCompact(allTokens(session))],
					['Cost', costOf(session)],
					['Latency p95', formatMs(session.latency_ms.p95)],
				]}
			/>
		</Panel>
	)
}

/** Unknown, not zero, while no call has a price. */
function costOf({ cost_nano_usd, unpriced_calls }: Figures): string {
	if (unpriced_calls === 0) return formatNanoUsd(cost_nano_usd)
	const rest = `${formatCount(unpriced_calls)} unpriced`
	return cost_nano_usd === '0' ? rest : `${formatNanoUsd(cost_nano_usd)} + ${rest}`
}
