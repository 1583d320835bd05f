/**
 * What the engine answers when the bytes themselves are at fault. Anything else (no memory, no disk, no table, no
 * connection) is the engine's own trouble: the same batch is sent again until it passes.
 */
const badDataTypes = new Set([
	'ARGUMENT_OUT_OF_BOUND',
	'ATTEMPT_TO_READ_AFTER_EOF',
	'CANNOT_PARSE_DATE',
	'CANNOT_PARSE_DATETIME',
	'CANNOT_PARSE_INPUT_ASSERTION_FAILED',
	'CANNOT_PARSE_NUMBER',
	'CANNOT_PARSE_TEXT',
	'CANNOT_READ_ALL_DATA',
	'CANNOT_READ_ARRAY_FROM_TEXT',
	'CANNOT_READ_MAP_FROM_TEXT',
	'INCORRECT_DATA',
	'SIZES_OF_ARRAYS_DONT_MATCH',
	'TOO_LARGE_ARRAY_SIZE',
	'TOO_LARGE_STRING_SIZE',
	'UNEXPECTED_END_OF_FILE',
	'UNKNOWN_ELEMENT_OF_ENUM',
	'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE',
	'VIOLATED_CONSTRAINT',
])

export function isRefusedAsBadData(error: unknown): boolean {
	return error instanceof Error && 'type' in error && badDataTypes.has(String(error.type))
}
