import { namesIn } from '../references.ts'

/** Ids of what Anthropic stores for an account, each as a whole JSON string. */
const reference = /"((?:file|container)_[A-Za-z0-9_-]+)"/g

/** The stored files and containers that a body names. */
export function referencesIn(body: string): readonly string[] {
	return namesIn(body, reference).names
}
