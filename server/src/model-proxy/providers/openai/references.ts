/** Ids of what OpenAI stores for an account, each as a whole JSON string. */
const reference = /"((?:file|assistant|resp|batch|conv|vs|cntr)[-_][A-Za-z0-9_-]+)"/g
const itemReference = /"item_reference"/
/** Letters may be written as escapes; quotes and backslashes stay, so that strings keep their ends. */
const escapedLetter = /\\u00(2d|3\d|[46][1-9a-f]|5[0-9af]|7[0-9a])/gi

/** The stored responses, items, files and batches that a body names. */
export function referencesIn(body: string): readonly string[] {
	const text = body.includes('\\u00')
		? body.replace(escapedLetter, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
		: body
	const named = [...text.matchAll(reference)].map(([, id]) => id as string)
	return [...new Set(itemReference.test(text) ? [...named, ...itemsIn(text)] : named)]
}

/** Items are named by an id beside `type`, which whole items have too: only a parser can tell. */
function itemsIn(text: string): string[] {
	try {
		const { input } = JSON.parse(text) as { input?: unknown }
		return (Array.isArray(input) ? input : [])
			.filter((item) => item?.type === 'item_reference')
			.map(({ id }) => String(id))
	} catch {
		// What is no JSON for us may be some for the provider.
		return ['item_reference']
	}
}
