import { newReading, type ReadResult, type ResponseReader } from './provider.ts'
import { type Fields, parseFields } from './wire-values.ts'

/**
 * Reads the results of a batch, a JSON object on each line, or in the lists of a field of one object; `resultIn` finds null in
 * one that is no answer.
 */
export function newResultsReader(
	resultIn: (line: Fields) => ReadResult | null,
	list?: string,
): ResponseReader {
	const reading = newReading()
	return {
		fields: new Set(),
		listed: true,
		...(list !== undefined && { list }),
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
