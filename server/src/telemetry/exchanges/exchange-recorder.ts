import type { Recorder } from '../recorder/recorder.ts'
import type { RuleSet } from '../redaction/rule.ts'
import type { RedactionView } from '../redaction/rules/redaction-view.ts'
import type { RetentionView } from '../retention/retention-view.ts'
import type { SpanRow } from '../span-row.ts'
import type { Exchange, StoredText } from './exchange.ts'
import { GatheredExchanges } from './gathered-exchanges.ts'

/** What a workspace's own rules take out of texts, for whoever applies it: in this order. */
export interface TextRules {
	/** The same for the same rules: what was compiled for them is used again. */
	key: string
	/** RE2, and what stands in the place of what it finds. */
	patterns: readonly { pattern: string; label: string }[]
}

/** Records what model calls carried. */
export interface ExchangeRecorder {
	/** When a call is recorded to have begun, in nanoseconds. */
	startOf(announced: SpanRow): bigint
	/** Undefined for a workspace without rules for what people and models said. */
	rulesOf(workspaceId: string): TextRules | undefined
	/**
	 * With texts from which everything private is gone. They are written first, so that no row refers to one that is not
	 * there. Throws as `Recorder.append` does.
	 */
	record(exchange: Exchange, texts: readonly StoredText[]): Promise<void>
}

export function createExchangeRecorder(
	recorder: Pick<Recorder, 'append'>,
	{ retention, redaction }: { retention: RetentionView; redaction: RedactionView },
): ExchangeRecorder {
	const open = new Map<string, GatheredExchanges>()
	return {
		startOf: ({ startNs }) => startNs,
		rulesOf: (workspaceId) => textRules(redaction.rulesOf(workspaceId)),
		record: (exchange, texts) => {
			const { workspaceId } = exchange
			let gathered = open.get(workspaceId)
			if (!gathered) {
				const close = () => open.delete(workspaceId)
				gathered = new GatheredExchanges(recorder, workspaceId, close)
				open.set(workspaceId, gathered)
			}
			return gathered.add(exchange, texts, retention.daysOf(workspaceId, 'traces'))
		},
	}
}

function textRules(set: RuleSet | undefined): TextRules | undefined {
	const rules = set?.rules.filter(
		({ appliesTo }) => appliesTo.includes('content') || appliesTo.includes('all'),
	)
	if (!set || !rules || rules.length === 0) return undefined
	return { key: set.key, patterns: rules.map(({ pattern, label }) => ({ pattern, label })) }
}
