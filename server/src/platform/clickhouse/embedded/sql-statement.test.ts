import { describe, expect, it } from 'vitest'
import { parseStatement, refuseInlineData, splitInsertFormat } from './query-request.ts'

describe('a text with more than one statement is refused', () => {
	it.each([
		'SELECT 1; DROP TABLE t',
		"SELECT 'a''b'; DROP TABLE t",
		"SELECT 'it\\'s'; DROP TABLE t",
		'SELECT 1 /* ; */ ; SELECT 2',
		'SELECT 1 -- x\n; SELECT 2',
		'SELECT `a\\`b` ; SELECT 2',
		'SELECT $$;$$',
		"SELECT ‘ ' ’; DROP TABLE t",
		'SELECT 1\0; DROP TABLE t',
	])('%j', (sql) => {
		expect(() => parseStatement(sql)).toThrow(/statement|belong into quotes/)
	})
})

describe('one statement is accepted whatever its quotes contain', () => {
	it.each([
		["SELECT ';' ", "SELECT ';'"],
		["SELECT 'a''; DROP TABLE t'", "SELECT 'a''; DROP TABLE t'"],
		['SELECT ";" FROM `a;b`;\n', 'SELECT ";" FROM `a;b`'],
		['SELECT 1 -- ; one more\n', 'SELECT 1'],
		['SELECT 1 /* ; */;;', 'SELECT 1'],
		["SELECT 'x' -- it's", "SELECT 'x'"],
	])('%j', (sql, text) => {
		expect(parseStatement(sql).text).toBe(text)
	})
})

it('the first word counts, also after brackets and comments', () => {
	expect(parseStatement('/* a */ (\nselect 1)').keyword).toBe('SELECT')
	expect(() => parseStatement(' -- nothing')).toThrow('empty')
})

it('an INSERT without data is split from its format', () => {
	expect(splitInsertFormat(parseStatement('INSERT INTO t (a)\nFORMAT RowBinary'))).toEqual({
		sql: 'INSERT INTO t (a)',
		format: 'RowBinary',
	})
	expect(splitInsertFormat(parseStatement("INSERT INTO t SELECT ' FORMAT x'"))).toBeUndefined()
})

it('data in the text of an INSERT is refused', () => {
	expect(() => refuseInlineData(parseStatement('INSERT INTO t FORMAT CSV 1'))).toThrow('into the body')
	expect(() => refuseInlineData(parseStatement('INSERT INTO t VALUES (1)\n \nDROP TABLE t'))).toThrow(
		'blank line',
	)
	refuseInlineData(parseStatement("INSERT INTO t SELECT format('{}', a) FROM u"))
})
