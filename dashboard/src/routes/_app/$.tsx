import { createFileRoute } from '@tanstack/react-router'
import { NotFound } from '../../app/not-found.tsx'

/** Within the frame, so that somebody who followed an outdated link still has the side bar. */
export const Route = createFileRoute('/_app/$')({ component: NotFound })
