import type { ReactNode } from 'react'
import { ChangesAnswer } from './changes-answer.tsx'
import { GrantsAnswer } from './grants-answer.tsx'
import { InvalidArgumentsAnswer } from './invalid-arguments-answer.tsx'
import { LoopsAnswer } from './loops-answer.tsx'
import { OverlapsAnswer } from './overlaps-answer.tsx'
import type { Asked } from './queries.ts'
import type { McpQuestion } from './questions.ts'
import { SelectionAnswer } from './selection-answer.tsx'
import { UnregisteredAnswer } from './unregistered-answer.tsx'

/** What answers each question. */
export const answers: Record<McpQuestion, (props: { asked: Asked }) => ReactNode> = {
	selection: SelectionAnswer,
	changes: ChangesAnswer,
	arguments: InvalidArgumentsAnswer,
	loops: LoopsAnswer,
	overlaps: OverlapsAnswer,
	unregistered: UnregisteredAnswer,
	grants: GrantsAnswer,
}
