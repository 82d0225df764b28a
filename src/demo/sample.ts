/** The phases of the sample skill. */
export const PHASES = [
  { label: '1', name: 'Interrogation', proof: ['questions_answered'] },
  { label: '2', name: 'Planning', proof: ['plan'] },
  { label: '3.A', name: 'Build', proof: ['tests_pass'] },
  { label: '3.B', name: 'Hand over to another agent' },
  { label: '4', name: 'Synthesis' },
]
