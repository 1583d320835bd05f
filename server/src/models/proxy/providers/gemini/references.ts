import { namesIn } from '../references.ts'

/**
 * Files and caches that Google stores for an account, each as a whole JSON string: by name, below a project, or as an
 * address of the API. No two of its parts take the same sign, so that no text makes it slow.
 */
const reference =
	/"(?:(?:[^"\\/]*\\?\/)*v1(?:beta)?\\?\/|projects(?:\\?\/[^"\\/]+)+\\?\/)?((?:cachedContents|files)\\?\/[A-Za-z0-9_-]+)"/g

/** The stored files and caches that a text names. */
export function referencesIn(text: string, isDocument: boolean): readonly string[] {
	return namesIn(text, reference, isDocument).names
}
