import { namesIn } from '../references.ts'

/** Ids of what Anthropic stores for an account, each as a whole JSON string; no ids are keys, and words like `file_path`. */
const reference = /"((?:file|container)_(?![a-z_-]+")[A-Za-z0-9_-]+)"(?!\s*:)/g

/** The stored files and containers that a text names. */
export function referencesIn(text: string, isDocument: boolean): readonly string[] {
	return namesIn(text, reference, isDocument).names
}
