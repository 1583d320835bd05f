import { type Fields, fieldsIn } from '../wire-values.ts'

/** What OpenAI has stored with an answer: the object itself, a response's items, the files of a batch's results. */
export function storedIn(answer: Fields): string[] {
	const items = Array.isArray(answer.output) ? answer.output.map((item) => fieldsIn(item)?.id) : []
	const ids = [answer.id, answer.output_file_id, answer.error_file_id, ...items]
	return ids.filter((id): id is string => typeof id === 'string' && id !== '')
}
