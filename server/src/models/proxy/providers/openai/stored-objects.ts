import { type Fields, fieldsIn } from '../wire-values.ts'

/** What OpenAI has stored with an answer: the object itself, the items of a response or a conversation, the files of a batch's results. */
export function storedIn(answer: Fields): string[] {
	const items = Array.isArray(answer.output) ? answer.output.map((item) => fieldsIn(item)?.id) : []
	// The items that were put into a conversation.
	const listed = Array.isArray(answer.data) ? answer.data.map((item) => fieldsIn(item)?.id) : []
	const ids = [answer.id, answer.output_file_id, answer.error_file_id, ...items, ...listed]
	return ids.filter((id): id is string => typeof id === 'string' && id !== '')
}
