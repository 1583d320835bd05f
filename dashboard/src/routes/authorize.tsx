import { createFileRoute } from '@tanstack/react-router'
import { ConsentScreen } from '../areas/authorizations/consent-screen.tsx'

export const Route = createFileRoute('/authorize')({ component: ConsentScreen })
