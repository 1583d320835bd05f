import type { Recorder } from '../recorder/recorder.ts'
import type { RetentionView } from '../retention/retention-view.ts'
import type { Exchange, StoredText } from './exchange.ts'
import { exchangeRowFormat, messageRowFormat } from './exchange-columns.ts'
import { encodeExchange, encodeTexts } from './write-exchange.ts'

/** Records what model calls carried. */
export interface ExchangeRecorder {
	/** Texts first, so that no row refers to one that is not there. Throws as `Recorder.append` does. */
	record(exchange: Exchange, texts: readonly StoredText[]): Promise<void>
}

export function createExchangeRecorder(
	recorder: Pick<Recorder, 'append'>,
	retention: RetentionView,
): ExchangeRecorder {
	return {
		record: async (exchange, texts) => {
			const { workspaceId } = exchange
			const days = retention.daysOf(workspaceId, 'traces')
			if (texts.length > 0) {
				const bytes = encodeTexts(exchange, texts, days)
				await recorder.append({ workspaceId, rowFormat: messageRowFormat, count: texts.length, bytes })
			}
			const bytes = encodeExchange(exchange, days)
			await recorder.append({ workspaceId, rowFormat: exchangeRowFormat, count: 1, bytes })
		},
	}
}
