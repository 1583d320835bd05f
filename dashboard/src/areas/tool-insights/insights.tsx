import type { ReactNode } from 'react'
import { ChangesInsight } from './changes.tsx'
import { GrantsInsight } from './grants.tsx'
import type { Insight } from './insight-names.ts'
import { InvalidArgumentsInsight } from './invalid-arguments.tsx'
import { LoopsInsight } from './loops.tsx'
import { OverlapsInsight } from './overlaps.tsx'
import type { Asked } from './queries.ts'
import { SelectionInsight } from './selection.tsx'
import { UnregisteredInsight } from './unregistered.tsx'

/** The component of each insight. */
export const insights: Record<Insight, (props: { asked: Asked }) => ReactNode> = {
	selection: SelectionInsight,
	changes: ChangesInsight,
	arguments: InvalidArgumentsInsight,
	loops: LoopsInsight,
	overlaps: OverlapsInsight,
	unregistered: UnregisteredInsight,
	grants: GrantsInsight,
}
