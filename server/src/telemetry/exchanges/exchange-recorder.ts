import type { Recorder } from '../recorder/recorder.ts'
import { redactorOf } from '../redaction/redactor.ts'
import type { RedactionView } from '../redaction/rules/redaction-view.ts'
import type { RetentionView } from '../retention/retention-view.ts'
import type { Exchange, StoredText } from './exchange.ts'
import { exchangeRowFormat, messageRowFormat } from './exchange-columns.ts'
import { encodeExchange, encodeTexts } from './write-exchange.ts'

/** Records what model calls carried. */
export interface ExchangeRecorder {
	/**
	 * Takes out of the texts what the workspace's own rules find; what is private for everyone is gone already. Texts are
	 * written first, so that no row refers to one that is not there. Throws as `Recorder.append` does.
	 */
	record(exchange: Exchange, texts: readonly StoredText[]): Promise<void>
}

export function createExchangeRecorder(
	recorder: Pick<Recorder, 'append'>,
	{ retention, redaction }: { retention: RetentionView; redaction: RedactionView },
): ExchangeRecorder {
	return {
		record: async (exchange, texts) => {
			const { workspaceId } = exchange
			const days = retention.daysOf(workspaceId, 'traces')
			if (texts.length > 0) {
				const bytes = encodeTexts(exchange, texts.map(redacted(redaction, workspaceId)), days)
				await recorder.append({ workspaceId, rowFormat: messageRowFormat, count: texts.length, bytes })
			}
			const bytes = encodeExchange(exchange, days)
			await recorder.append({ workspaceId, rowFormat: exchangeRowFormat, count: 1, bytes })
		},
	}
}

function redacted(redaction: RedactionView, workspaceId: string): (stored: StoredText) => StoredText {
	const rules = redaction.rulesOf(workspaceId)
	if (!rules) return (stored) => stored
	const redactor = redactorOf(rules)
	return ({ hash, text }) => ({ hash, text: String(redactor.content(text, new Set())) })
}
