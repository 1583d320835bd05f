import { namesIn } from '../references.ts'

/** Ids of what OpenAI stores for an account, each as a whole JSON string; no ids are keys, and words like `file_search`. */
const reference = /"((?:file|assistant|resp|batch|conv|vs|cntr)[-_](?![a-z_-]+")[A-Za-z0-9_-]+)"(?!\s*:)/g
const itemReference = /"item_reference"/

/** The stored responses, items, files and batches that a body names. */
export function referencesIn(body: string): readonly string[] {
	const { names, text } = namesIn(body, reference)
	return itemReference.test(text) ? [...new Set([...names, ...itemsIn(text)])] : names
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
