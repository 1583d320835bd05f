import { randomBytes } from 'node:crypto'

export function newNonce(): string {
	return randomBytes(16).toString('base64')
}

/** Everything comes from this address; styles and scripts in the page itself need the nonce of this one answer. */
export function strictPolicy(nonce: string): string {
	return policy({ script: `'self' 'nonce-${nonce}'`, style: `'self' 'nonce-${nonce}'`, more: [] })
}

/** The reference writes style elements of its own, so its page alone allows them; scripts stay as strict. */
export function referencePolicy(nonce: string): string {
	return policy({
		script: `'self' 'nonce-${nonce}'`,
		style: "'self' 'unsafe-inline'",
		more: ['worker-src blob:'],
	})
}

function policy({ script, style, more }: { script: string; style: string; more: string[] }): string {
	return [
		"default-src 'none'",
		`script-src ${script}`,
		`style-src ${style}`,
		"img-src 'self' data:",
		"font-src 'self'",
		"connect-src 'self'",
		"manifest-src 'self'",
		"base-uri 'none'",
		"form-action 'self'",
		"frame-ancestors 'none'",
		...more,
	].join('; ')
}
