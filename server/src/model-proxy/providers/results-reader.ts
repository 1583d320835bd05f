import { newReading, type ReadResult, type ResponseReader } from './provider.ts'
import { type Fields, parseFields } from './wire-values.ts'

/** Reads the results of a batch, a JSON object on each line; `resultIn` finds null in a line that is no answer. */
export function newResultsReader(resultIn: (line: Fields) => ReadResult | null): ResponseReader {
	const reading = newReading()
	return {
		fields: new Set(),
		listed: true,
		reading,
		onBody: () => {},
		onEvent: (text) => {
			const line = parseFields(text)
			const result = line && resultIn(line)
			// What failed or expired is not billed.
			if (result?.reading.usage) reading.results.push(result)
		},
	}
}
