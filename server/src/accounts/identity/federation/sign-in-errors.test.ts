import { readFileSync } from 'node:fs'
import { signInErrors } from '@signalbox/contract'
import { expect, it } from 'vitest'

it('docs/sign-in.md lists every error of a sign-in, and no other', () => {
	const page = readFileSync(new URL('../../../../../docs/sign-in.md', import.meta.url), 'utf8')
	const shown = page.slice(page.indexOf('## Errors')).match(/^\| `.*$/gm)
	const known = Object.entries(signInErrors)
	expect(shown).toEqual(known.map(([code, { title, remedy }]) => `| \`${code}\` | ${title} | ${remedy} |`))
})
