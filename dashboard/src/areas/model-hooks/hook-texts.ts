import type { Hook } from './queries.ts'

export const actionTexts: Record<Hook['action'], { label: string; text: string }> = {
	deny: { label: 'Deny', text: 'A match of the pattern refuses the call.' },
	redact: { label: 'Redact', text: 'Each match is replaced on its way; every other byte stays.' },
	webhook: { label: 'Ask a webhook', text: 'Your own service receives the text and decides.' },
}

export const actionLabels: Record<Hook['action'], string> = {
	deny: actionTexts.deny.label,
	redact: actionTexts.redact.label,
	webhook: actionTexts.webhook.label,
}

export const stageTexts: Record<Hook['stages'][number], string> = {
	request: 'Requests',
	response: 'Whole answers',
	stream: 'Streamed answers',
}

export const modeTexts: Record<Hook['mode'], string> = {
	dry_run: 'Dry run: record what it would have done, change nothing',
	enforce: 'Enforce: do it',
}

export const failModeTexts: Record<Hook['fail_mode'], string> = {
	open: 'Let the call go on',
	closed: 'Refuse the call',
}

/** The calls to which a hook applies, in words. */
export function describeCalls({ connections, models, agents }: Hook): string {
	const parts = [
		['models', models],
		['connections', connections],
		['agents', agents],
	] as const
	const narrowed = parts.filter(([, patterns]) => !patterns.includes('*'))
	if (narrowed.length === 0) return 'All calls'
	return narrowed.map(([what, patterns]) => `${what} ${patterns.join(', ')}`).join(' · ')
}
