import { linesOf } from '../../../../ledger/index.ts'
import { countOr0, fieldsIn, newReading, type ResponseReader, textOr } from '../provider.ts'

const fields: ReadonlySet<string> = new Set(['predictions', 'error'])

/** Reads embeddings of Vertex AI, which tell their tokens with each prediction. */
export function newPredictReader(): ResponseReader {
	const reading = newReading()
	return {
		fields,
		reading,
		onEvent: () => {},
		onBody: (found) => {
			const predictions = found.get('predictions')
			const tokens = (Array.isArray(predictions) ? predictions : []).map(tokensIn)
			if (tokens.length > 0) {
				reading.usage = {
					lines: linesOf({ in_text: tokens.reduce((sum, count) => sum + count, 0) }),
					inconsistent: false,
				}
				reading.complete = true
			}
			const error = fieldsIn(found.get('error'))
			if (error) reading.errorType = textOr(error.status, 'error')
			reading.errorMessage = textOr(error?.message, '')
			reading.ended = true
		},
	}
}

function tokensIn(prediction: unknown): number {
	const statistics = fieldsIn(fieldsIn(fieldsIn(prediction)?.embeddings)?.statistics)
	return countOr0(statistics?.token_count)
}
