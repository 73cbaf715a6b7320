*     HEAT77: A PROGRAM OF THE OLD KIND, WHICH CALLS ONLY LAPACK. HEAT
*     IN A LONG ROD BY IMPLICIT STEPS (DGTSV), THE SAME WITH ONE FACTOR
*     FOR ALL STEPS (DPTTRF, DPTTRS), AND THE RATE OF DECAY BY LEAST
*     SQUARES (DGELS). ANSWERS GO TO UNIT 6, TIMES TO UNIT 0.
*     SPDX-License-Identifier: BSD-3-Clause
      PROGRAM HEAT77
      INTEGER N, STEPS
      PARAMETER (N = 200000, STEPS = 40)
      DOUBLE PRECISION R, PI
      PARAMETER (R = 0.5D0, PI = 3.14159265358979D0)
      DOUBLE PRECISION DL(N), D(N), DU(N), U(N), E(N), P(N), V(N)
      DOUBLE PRECISION A(STEPS,2), B(STEPS), WORK(256)
      DOUBLE PRECISION TOTAL, WORST
      REAL T0, T1
      INTEGER I, K, INFO
      EXTERNAL DGTSV, DPTTRF, DPTTRS, DGELS
*
      DO 10 I = 1, N
         U(I) = SIN(PI * 200 * I / (N + 1)) + 0.1D0 * MOD(I, 7)
         V(I) = U(I)
   10 CONTINUE
*
      CALL CPU_TIME(T0)
      DO 40 K = 1, STEPS
         DO 20 I = 1, N
            DL(I) = -R
            D(I) = 1 + 2 * R
            DU(I) = -R
   20    CONTINUE
         CALL DGTSV(N, 1, DL, D, DU, U, N, INFO)
         IF (INFO .NE. 0) STOP 'DGTSV'
         TOTAL = 0
         DO 30 I = 1, N
            TOTAL = TOTAL + U(I)**2
   30    CONTINUE
         A(K,1) = 1
         A(K,2) = K
         B(K) = LOG(TOTAL)
   40 CONTINUE
      CALL CPU_TIME(T1)
      WRITE (0,'(A,F8.3,A)') ' DGTSV          ', T1 - T0, ' S'
*
      CALL CPU_TIME(T0)
      DO 50 I = 1, N
         P(I) = 1 + 2 * R
         E(I) = -R
   50 CONTINUE
      CALL DPTTRF(N, P, E, INFO)
      IF (INFO .NE. 0) STOP 'DPTTRF'
      DO 60 K = 1, STEPS
         CALL DPTTRS(N, 1, P, E, V, N, INFO)
   60 CONTINUE
      CALL CPU_TIME(T1)
      WRITE (0,'(A,F8.3,A)') ' DPTTRF, DPTTRS ', T1 - T0, ' S'
*
      WORST = 0
      DO 70 I = 1, N
         WORST = MAX(WORST, ABS(U(I) - V(I)))
   70 CONTINUE
      CALL DGELS('N', STEPS, 2, 1, A, STEPS, B, STEPS, WORK, 256, INFO)
      IF (INFO .NE. 0) STOP 'DGELS'
      WRITE (6,'(A,2F14.9)') ' ENDS           ', U(1), U(N)
      WRITE (6,'(A,2F14.9)') ' MIDDLE         ', U(N/2), V(N/2)
      WRITE (6,'(A,F14.9)') ' DECAY A STEP   ', B(2)
      WRITE (6,'(A,L2)') ' BOTH AGREE     ', WORST .LT. 1D-12
      END
