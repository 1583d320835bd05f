import type { Schemas } from '../../api.ts'

type Step = Schemas['InstallStep']

/** The text of a step with a key in place of its placeholder. A link may carry its configuration in base64, or ask for the key. */
export function insertKey(step: Step, placeholder: string, key: string): string {
	if (step.kind !== 'link') return step.text.replaceAll(placeholder, key)
	const link = new URL(step.text)
	const config = link.searchParams.get('config')
	if (config === null) return step.text
	link.searchParams.set('config', btoa(atob(config).replaceAll(placeholder, key)))
	return link.href
}
