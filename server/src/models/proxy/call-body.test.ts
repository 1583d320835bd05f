import { describe, expect, it } from 'vitest'
import { CallBody } from './call-body.ts'

const form = 'multipart/form-data; boundary=b'
const read = (type: string, text: string) =>
	CallBody.read({ 'content-type': type }, Buffer.from(text), 100_000)

/** A form in which each part has the given head. */
function formOf(...parts: [head: string, value: string][]): string {
	return `${parts.map(([head, value]) => `--b\r\n${head}\r\n\r\n${value}\r\n`).join('')}--b--\r\n`
}
const named = (name: string) => `Content-Disposition: form-data; name="${name}"`
const good: [string, string] = [named('model'), 'whisper-1']

describe('a form', () => {
	it.each([
		['with a boundary in quotes', 'multipart/form-data; boundary="b"'],
		['with parameters around the boundary', 'multipart/form-data; charset=utf-8; boundary=b; x=1'],
	])('is read %s', async (_how, type) => {
		const file = 'Content-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav'
		const body = await read(
			type,
			formOf([file, '\r\n\n--'], [`${named('model')}\r\nContent-Length: 9`, 'whisper-1']),
		)
		expect([body.fault, body.model, body.form?.length]).toEqual([null, 'whisper-1', 2])
	})

	const other = 'Content-Disposition: form-data; name="model"\r\n\r\ngpt-5'
	it.each([
		['two boundaries', 'multipart/form-data; boundary=a; x="; boundary=b"', formOf(good)],
		['a boundary in another parameter', 'multipart/form-data; x-boundary=b', formOf(good)],
		['an escape in the boundary', 'multipart/form-data; boundary="\\b"', formOf(good)],
		['a boundary after another line end', form, formOf(good, [named('x'), `y\n--b\r\n${other}`])],
		['two dispositions', form, formOf([`${named('x')}\r\n${named('model')}`, 'gpt-5'], good)],
		[
			'a disposition that continues in the next line',
			form,
			formOf([`${named('x')};\r\n name="model"`, 'gpt-5'], good),
		],
		['a disposition within another header', form, formOf([`X: y\n${named('model')}`, 'whisper-1'])],
		[
			'space before a colon',
			form,
			formOf([`${named('x')}\r\nContent-Disposition : form-data; name="model"`, 'gpt-5'], good),
		],
		['a name with an escape', form, formOf([named('mo\\del'), 'gpt-5'], good)],
		['a name in another encoding', form, formOf([`${named('x')}; name*=utf-8''model`, 'gpt-5'], good)],
	])('is uncertain with %s', async (_why, type, text) => {
		const body = await read(type, text)
		expect([body.fault, body.model, body.form]).toEqual([expect.any(String), null, null])
	})
})

it('JSON that is declared as a URL-encoded form is uncertain', async () => {
	const json = '{"model":"gpt-4","x":"&model=gpt-5&y="}'
	const type = 'application/x-www-form-urlencoded'
	expect((await read(type, json)).model).toBeNull()
	expect(CallBody.readAtOnce({ 'content-type': type }, Buffer.from(json))?.model).toBeNull()
	expect((await read('text/plain', json)).model).toBe('gpt-4')
})
