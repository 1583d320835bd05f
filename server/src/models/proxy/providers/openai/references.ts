import { namesIn } from '../references.ts'

/** Ids of what OpenAI stores for an account, each as a whole JSON string; no ids are keys, and words like `file_search`. */
const reference = /"((?:file|assistant|resp|batch|conv|vs|cntr)[-_](?![a-z_-]+")[A-Za-z0-9_-]+)"(?!\s*:)/g
const itemReference = /"item_reference"/

/** The stored responses, items, files and batches that a body names. */
export function referencesIn(body: string, isDocument: boolean): readonly string[] {
	const { names, text } = namesIn(body, reference, isDocument)
	if (!itemReference.test(text)) return names
	// What is no JSON for us may be some for the provider.
	return [...new Set([...names, ...(isDocument ? itemsIn(text) : ['item_reference'])])]
}

/** Items are named by an id beside `type`, which whole items have too: only a parser can tell. */
function itemsIn(text: string): string[] {
	const { input } = JSON.parse(text) as { input?: unknown }
	return (Array.isArray(input) ? input : [])
		.filter((item) => item?.type === 'item_reference')
		.map(({ id }) => String(id))
}
