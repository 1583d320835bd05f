import type { Schemas } from '../../api.ts'

type Step = Schemas['InstallStep']

/**
 * The text of a step with its placeholder replaced by a key. A link may contain its configuration in base64, or make the client ask
 * for the key.
 */
export function insertKey(step: Step, placeholder: string, key: string): string {
	if (step.kind !== 'link') return step.text.replaceAll(placeholder, key)
	const link = new URL(step.text)
	const config = link.searchParams.get('config')
	if (config === null) return step.text
	link.searchParams.set('config', btoa(atob(config).replaceAll(placeholder, key)))
	return link.href
}
