import { expect, test } from 'vitest'
import { exceptionType, storedExceptionType } from './exceptions.ts'

const traced =
	'\n\nTraceback (most recent call last):\n  File "call.py", line 12, in weather\n    raise error\n'
test.each([
	['Exception', `ValueError("no 'storm' (here)")${traced}`, 'ValueError'],
	['Exception', `InternalServerError('Error code: 500 - it broke')${traced}`, 'InternalServerError'],
	['Exception', `KeyError()${traced}`, 'KeyError'],
	['Exception', `Exception('it broke')${traced}`, 'Exception'],
	['Exception', `1 validation error for Answer${traced}`, 'Exception'],
	['Exception', 'ask(weather) failed', 'Exception'],
	['RuntimeError', `ValueError('no')${traced}`, 'RuntimeError'],
	['', '', ''],
])(
	'an exception of the type "%s" with the message %j has the type "%s" (LangSmith)',
	(type, message, expected) => {
		const attributes: [string, string][] = [
			['exception.type', type],
			['exception.message', message],
		]
		expect(exceptionType([{ name: 'exception', attributes }])).toBe(expected)
		const stored = attributes.map(([key, stringValue]) => ({ key, value: { stringValue } }))
		expect(storedExceptionType(JSON.stringify([{ name: 'exception', attributes: stored }]))).toBe(expected)
	},
)
