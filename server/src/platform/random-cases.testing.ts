/** The number of random cases for a property: all of them in the long form, an eighth in the short one. */
export function randomCases(inLongForm: number): number {
	return process.env.LONG_TESTS ? inLongForm : Math.ceil(inLongForm / 8)
}
