import { readFileSync } from 'node:fs'
import { eventTypes, rolesWith } from '@signalbox/contract'
import { describe, expect, it } from 'vitest'

describe('the catalogue of events', () => {
	it('matches the table in docs/events.md', () => {
		const page = readFileSync(new URL('../../../../docs/events.md', import.meta.url), 'utf8')
		expect(page).toContain(renderEventTable())
	})
})

function renderEventTable(): string {
	const rows = Object.entries(eventTypes).map(([type, { summary, access, live }]) => {
		const needs = access.public
			? '–'
			: `${access.roleScope && rolesWith(access.roleScope)[0]}, \`${access.scope}\``
		return `| \`${type}\` | ${summary}${live ? ' (live only)' : ''} | ${needs} |`
	})
	return ['| type | when | who may see it |', '|---|---|---|', ...rows].join('\n')
}
