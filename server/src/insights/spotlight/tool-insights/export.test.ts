import { expect, test } from 'vitest'
import { toCsv } from './tool-insights.ts'

test('nested fields have separate columns, and what a spreadsheet would execute is text', () => {
	const rows = [
		{ agent: { id: 'a', name: 'Rosa' }, server: null, tool: '=SUM(1)', listed: true, callers: ['x', 'y'] },
		{ agent: { id: 'b', name: 'Milo' }, server: { id: 's' }, tool: 'say "hi"', listed: false, callers: [] },
	]
	expect(toCsv(rows).split('\r\n')).toEqual([
		'"agent.id","agent.name","tool","listed","callers","server.id"',
		`"a","Rosa","'=SUM(1)","true","x, y",""`,
		'"b","Milo","say ""hi""","false","","s"',
		'',
	])
	expect(toCsv([])).toBe('\r\n')
})

test('an object that no row has is one empty column', () => {
	expect(toCsv([{ server: null }])).toBe('"server"\r\n""\r\n')
})
