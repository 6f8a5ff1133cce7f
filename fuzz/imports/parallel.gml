Creator "x [ y"
graph [
  directed 1
  multigraph 1
  node [ id 0 label "A" ] node [ id 1 label "B" ] node [ id 2 label "B" ] node [ id 3 ]
  edge [ source 0 target 1 rate "1 Gb/s" dist 5 ] edge [ source 0 target 1 key 1 rate "2G" ]
  edge [ source 1 target 0 rate "100" ] edge [ source 2 target 2 ] edge [ source 2 target 3 ]
]
